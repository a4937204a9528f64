// The WebSocket: what the server shows, by key, and requests to it. It connects again by itself, and reads everything anew then.

const AGAIN = [500, 1000, 2000, 5000]; // ms
const SILENT = 4000; // ms without any news: the nodes report once a second
const STOP_AGAIN = 250, STOP_WORRIES = 1000; // ms

export class Connection {
  constructor() {
    this.values = new Map(); // key → value; of pictures an URL
    this.listeners = []; // [prefix, function]
    this.requests = new Map(); // id → resolve
    this.number = 0;
    this.failures = 0;
    this.connected = false;
    this.heard = performance.now();
    this.stopping = null;
    setInterval(() => this.look(), 500);
    this.open();
  }

  // Call `listener(value, key)` for each change of a key with that prefix, and now for those that are there.
  on(prefix, listener) {
    this.listeners.push([prefix, listener]);
    for (const [key, value] of this.values) if (key.startsWith(prefix)) listener(value, key);
    return () => { this.listeners = this.listeners.filter(each => each[1] !== listener); };
  }

  get(key) { return this.values.get(key); }

  open() {
    const address = `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`;
    this.socket = new WebSocket(address);
    this.socket.binaryType = 'arraybuffer';
    this.socket.onopen = () => {
      this.values.clear();
      this.failures = 0;
      this.heard = performance.now();
      this.note(true);
    };
    this.socket.onmessage = event => this.take(event.data);
    this.socket.onclose = event => {
      this.note(false, event.reason);
      for (const resolve of this.requests.values()) resolve({ok: false, message: ''});
      this.requests.clear();
      setTimeout(() => this.open(), AGAIN[Math.min(this.failures++, AGAIN.length - 1)]);
    };
  }

  take(data) {
    this.heard = performance.now();
    if (!this.connected) this.note(true);
    if (typeof data !== 'string') return this.takePicture(new Uint8Array(data));
    const message = JSON.parse(data);
    if ('reply' in message) {
      this.requests.get(message.reply)?.(message);
      this.requests.delete(message.reply);
    } else {
      this.set(message.key, message.value);
    }
  }

  takePicture(bytes) {
    const end = bytes.indexOf(10), key = new TextDecoder().decode(bytes.subarray(0, end));
    if (this.values.has(key)) URL.revokeObjectURL(this.values.get(key));
    this.set(key, URL.createObjectURL(new Blob([bytes.subarray(end + 1)], {type: 'image/jpeg'})));
  }

  set(key, value) {
    if (value === null) this.values.delete(key);
    else this.values.set(key, value);
    if (key === 'stopped' && value) this.stopped();
    for (const [prefix, listener] of this.listeners) if (key.startsWith(prefix)) listener(value, key);
  }

  look() {
    if (this.connected && performance.now() - this.heard > SILENT) this.note(false);
  }

  note(connected, reason = '') {
    this.connected = connected;
    this.set('connected', {connected, reason});
  }

  // Ask the server; resolves to {ok, message, …}.
  ask(request) {
    if (this.socket.readyState !== WebSocket.OPEN) return Promise.resolve({ok: false, message: ''});
    const id = ++this.number;
    return new Promise(resolve => {
      this.requests.set(id, resolve);
      this.socket.send(JSON.stringify({...request, id}));
    });
  }

  // Sound, 16-bit samples at 16 kHz. What cannot be sent at once is dropped: a late word is worse than none.
  hear(samples) {
    if (this.socket.readyState === WebSocket.OPEN && this.socket.bufferedAmount < 64000) this.socket.send(samples.buffer);
  }

  // Stop the robot, on both ways, again and again until the gate has answered or says that it is stopped.
  stop() {
    clearInterval(this.stopping);
    const began = performance.now();
    const take = answer => { if (answer.ok) this.stopped(); };
    const press = () => {
      this.ask({do: 'stop'}).then(take);
      fetch('api/do/stop', {method: 'POST', keepalive: true}).then(answer => answer.json()).then(take).catch(() => {});
      if (performance.now() - began > STOP_WORRIES) this.set('unstopped', true);
    };
    this.stopping = setInterval(press, STOP_AGAIN);
    press();
  }

  stopped() {
    clearInterval(this.stopping);
    this.set('unstopped', null);
  }
}

// JSON of the server; {ok: false, message} if it refuses.
export async function call(method, path, body) {
  try {
    const options = body === undefined ? {method} : {method, headers: {'Content-Type': 'application/json'}, body: JSON.stringify(body)};
    return await (await fetch(path, options)).json();
  } catch {
    return {ok: false, message: ''};
  }
}
