// Plays a recording: time line, sound, map, camera and stories, as the tab Talk shows them live.

import {fill, h, t} from './dom.js';
import {showMap} from './map.js';
import {Replayed} from './replayed.js';
import {showStories} from './stories.js';

const SPEEDS = [0.5, 1, 2, 5, 20];
const AROUND = 0.2; // s of sound before the speech
const PICTURES = 250; // ms between two pictures

export const clock = s => `${Math.floor(s / 60)}:${String(Math.floor(s % 60)).padStart(2, '0')}`;

export function showPlayer(root, app, recording, events) {
  const replayed = new Replayed(recording.home, events), {marks, seconds} = recording;
  let playing = false, speed = 1, time = 0, last = 0, frame = 0;

  const play = h('button', {type: 'button', class: 'play', onclick: () => toggle()}, t('recordings.play'));
  const line = h('input', {type: 'range', min: 0, max: Math.max(seconds, 0.1), step: 0.1, value: 0, 'aria-label': t('recordings.time')});
  const now = h('output', {class: 'clock'});
  const rate = h('select', {'aria-label': t('recordings.speed')}, SPEEDS.map(each => h('option', {value: each, selected: each === 1}, `${each} ×`)));
  const loud = h('input', {type: 'checkbox', checked: true});
  const sound = new Audio();
  const dots = marks.map(mark => h('button', {type: 'button', class: `mark ${look(mark)}`, title: said(mark), 'aria-label': said(mark), tabindex: -1,
    style: {left: `${100 * Math.min(1, mark.t / Math.max(seconds, 0.1))}%`}, onclick: () => seek(startOf(mark))}));
  const jump = (sign, label, to) => h('button', {type: 'button', title: label, 'aria-label': label, onclick: () => { const mark = to(); if (mark) seek(startOf(mark)); }}, sign);
  const player = h('section', {class: 'card player', 'aria-label': t('recordings.player')},
    h('div', {class: 'controls'}, play,
      jump('◀', t('recordings.before'), () => marks.filter(mark => startOf(mark) < time - 0.5).at(-1)),
      jump('▶', t('recordings.after'), () => marks.find(mark => startOf(mark) > time + 0.05)),
      now, rate, h('label', {}, loud, ` ${t('recordings.sound')}`)),
    h('div', {class: 'line'}, h('div', {class: 'marks'}, dots), line));
  const left = h('section', {class: 'column', 'aria-label': t('stories.title')}), right = h('section', {class: 'column', 'aria-label': t('map.title')});
  root.append(player, h('div', {class: 'columns'}, left, right));
  const shown = {...app, connection: replayed, ask: null};
  const ends = [showStories(left, shown, null), showMap(right, shown)];
  const camera = h('img', {alt: t('recordings.seen')});
  const picture = h('section', {class: 'card pictures', hidden: true}, h('figure', {}, camera, h('figcaption', {}, t('recordings.seen'))));
  right.append(picture);

  // One picture at a time: the next is asked for when the last has come.
  let loads = false, asked = 0, pictured = -1;
  const lookAt = () => {
    const moment = Math.round(10 * time) * 100;
    if (!recording.pictures || loads || moment === pictured || performance.now() - asked < PICTURES) return;
    loads = true;
    asked = performance.now();
    pictured = moment;
    const next = new Image();
    const done = () => { loads = false; if (!playing) setTimeout(lookAt, PICTURES); };
    next.onload = () => { camera.src = next.src; picture.hidden = false; done(); };
    next.onerror = () => { picture.hidden = true; done(); };
    next.src = `api/recordings/${recording.id}/picture/${moment}`;
  };

  const show = () => {
    replayed.seek(time);
    line.value = time;
    now.textContent = `${clock(time)} / ${clock(seconds)}`;
    line.setAttribute('aria-valuetext', now.textContent);
    marks.forEach((mark, index) => dots[index].classList.toggle('now', startOf(mark) <= time && time <= mark.t + 0.5));
    lookAt();
  };
  const hear = (from, to) => { // the sentence that begins between these times
    const mark = marks.findLast(each => each.sound && startOf(each) >= from && startOf(each) < to);
    if (!mark || !loud.checked) return;
    sound.src = `api/recordings/${recording.id}/sound/${marks.indexOf(mark)}`;
    sound.playbackRate = Math.min(speed, 4);
    sound.play().catch(() => {}); // a browser may want a click first
  };
  const tick = stamp => {
    const before = time;
    time = Math.min(seconds, time + speed * Math.min(0.5, (stamp - last) / 1000));
    last = stamp;
    show();
    hear(before, time);
    if (time >= seconds) pause();
    else frame = requestAnimationFrame(tick);
  };
  const pause = () => {
    playing = false;
    cancelAnimationFrame(frame);
    sound.pause();
    play.textContent = t('recordings.play');
  };
  const toggle = () => {
    if (playing) return pause();
    if (time >= seconds) time = 0;
    playing = true;
    play.textContent = t('recordings.pause');
    last = performance.now();
    frame = requestAnimationFrame(tick);
  };
  const seek = to => {
    sound.pause();
    time = Math.max(0, Math.min(seconds, to));
    show();
  };
  line.addEventListener('input', () => seek(Number(line.value)));
  rate.addEventListener('change', () => { speed = Number(rate.value); sound.playbackRate = Math.min(speed, 4); });
  const key = event => { // the space bar, unless it is for a field or a button that has the focus
    if (event.code !== 'Space' || (event.target !== document.body && event.target.id !== 'view')) return;
    event.preventDefault();
    toggle();
  };
  addEventListener('keydown', key);
  show();
  return {
    seek: mark => seek(startOf(mark)),
    close: () => {
      pause();
      removeEventListener('keydown', key);
      for (const end of ends) end();
      fill(root);
    },
  };
}

const startOf = mark => Math.max(0, mark.t - mark.seconds - (mark.sound ? AROUND : 0));
const said = mark => `${clock(mark.t)} ${mark.heard ? `“${mark.heard}”` : t('stories.nothing')}`;

// The colour of a mark: as expected or not, else how it ended.
export function look(mark) {
  if (mark.checks.length) return mark.checks.every(check => check[3]) ? 'good' : 'bad';
  if (mark.outcome) return mark.outcome === 'done' ? 'good' : 'bad';
  return mark.heard ? 'ask' : 'reject';
}
