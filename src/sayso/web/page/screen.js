// A recording at a moment: sound, map, camera and stories, as the tab Talk shows them live.

import {h, t} from './dom.js';
import {showMap} from './map.js';
import {startOf} from './marks.js';
import {Replayed} from './replayed.js';
import {showStories} from './stories.js';

const PICTURES = 250; // ms between two pictures

// `places`: the elements for its stories, its map and its pictures.
export function showScreen(places, app, recording, events) {
  const replayed = new Replayed(recording.home, events), {marks} = recording;
  const shown = {...app, connection: replayed, ask: null}, sound = new Audio();
  const ends = [showStories(places.stories, shown, null), showMap(places.map, shown)];
  const camera = h('img', {alt: t('recordings.seen')});
  const picture = h('section', {class: 'card pictures', hidden: true}, h('figure', {}, camera, h('figcaption', {}, t('recordings.seen'))));
  places.picture.append(picture);

  // One picture at a time: the next is asked for when the last has come, and the last that was wanted is always shown.
  let loads = false, asked = 0, pictured = -1, wanted = 0, over = false;
  const lookAt = () => {
    const moment = Math.round(10 * wanted) * 100;
    if (over || !recording.pictures || loads || moment === pictured) return;
    const wait = asked + PICTURES - performance.now();
    if (wait > 0) { loads = true; setTimeout(() => { loads = false; lookAt(); }, wait); return; }
    loads = true;
    asked = performance.now();
    pictured = moment;
    const next = new Image(), done = () => { loads = false; lookAt(); };
    next.onload = () => { camera.src = next.src; picture.hidden = false; done(); };
    next.onerror = () => { picture.hidden = true; done(); };
    next.src = `api/recordings/${recording.id}/picture/${moment}`;
  };

  return {
    // Show it as it was at that time, s.
    seek: time => {
      replayed.seek(time);
      wanted = time;
      lookAt();
    },
    // Play the sentence that begins between these times. Returns whether there is one.
    hear: (from, to, speed) => {
      const mark = marks.findLast(each => each.sound && startOf(each) >= from && startOf(each) < to);
      if (!mark) return false;
      sound.src = `api/recordings/${recording.id}/sound/${marks.indexOf(mark)}`;
      sound.playbackRate = Math.min(speed, 4);
      sound.play().catch(() => {}); // a browser may want a click first
      return true;
    },
    hush: () => sound.pause(),
    close: () => {
      over = true;
      sound.pause();
      for (const end of ends) end();
    },
  };
}
