// A recording that plays like a connection: the same `on` and `get`, from events [s, key, value] in the order of time.

export class Replayed {
  constructor(home, events) {
    this.home = home;
    this.events = events;
    this.values = new Map([['home', home]]);
    this.listeners = []; // [prefix, function]
    this.next = 0; // the first event that has not happened yet
    this.time = 0;
  }

  on(prefix, listener) {
    this.listeners.push([prefix, listener]);
    for (const [key, value] of this.values) if (key.startsWith(prefix)) listener(value, key);
    return () => { this.listeners = this.listeners.filter(each => each[1] !== listener); };
  }

  get(key) { return this.values.get(key); }

  // Show everything as it was at that time, in s.
  seek(time) {
    const before = this.values;
    if (time < this.time) {
      this.values = new Map([['home', this.home]]);
      this.next = 0;
    } else {
      this.values = new Map(before);
    }
    this.time = time;
    while (this.next < this.events.length && this.events[this.next][0] <= time) {
      const [, key, value] = this.events[this.next++];
      if (value === null) this.values.delete(key);
      else this.values.set(key, key.startsWith('utterance/') ? {...this.values.get(key), ...value} : value); // of a story, events have what is new
    }
    for (const key of before.keys()) if (!this.values.has(key)) this.tell(null, key);
    for (const [key, value] of this.values) if (before.get(key) !== value) this.tell(value, key);
  }

  tell(value, key) {
    for (const [prefix, listener] of this.listeners) if (key.startsWith(prefix)) listener(value, key);
  }
}
