// A time line with its buttons: play, pause, the sentence before and after, speed and sound. What it plays is others' work.

import {h, t} from './dom.js';
import {clock} from './marks.js';

const SPEEDS = [0.5, 1, 2, 5, 20];

// `dots`: {at, ends, row, class, label} of each sentence, s; `played`: show(time), hear(from, to, speed) and hush().
export function showTransport(root, {name, seconds, dots, sounds}, played) {
  let playing = false, speed = 1, time = 0, last = 0, frame = 0;
  const play = h('button', {type: 'button', class: 'play', onclick: () => toggle()}, t('recordings.play'));
  const line = h('input', {type: 'range', min: 0, max: Math.max(seconds, 0.1), step: 0.1, value: 0, 'aria-label': t('recordings.time')});
  const now = h('output', {class: 'clock'});
  const rate = h('select', {'aria-label': t('recordings.speed')}, SPEEDS.map(each => h('option', {value: each, selected: each === 1}, `${each} ×`)));
  const marks = dots.map(dot => h('button', {type: 'button', class: `mark ${dot.class}`, title: dot.label, 'aria-label': dot.label, tabindex: -1,
    style: {left: `${100 * Math.min(1, dot.at / Math.max(seconds, 0.1))}%`}, onclick: () => seek(dot.at)}));
  const rows = [...new Set(dots.map(dot => dot.row))].map(row => h('div', {class: 'marks'}, row && h('b', {'aria-hidden': 'true'}, row), marks.filter((_, index) => dots[index].row === row)));
  const jump = (sign, label, to) => h('button', {type: 'button', title: label, 'aria-label': label, onclick: () => { const dot = to(); if (dot) seek(dot.at); }}, sign);
  const ordered = [...dots].sort((one, other) => one.at - other.at);
  root.append(h('section', {class: 'card player', 'aria-label': name},
    h('div', {class: 'controls'}, play,
      jump('◀', t('recordings.before'), () => ordered.filter(dot => dot.at < time - 0.5).at(-1)),
      jump('▶', t('recordings.after'), () => ordered.find(dot => dot.at > time + 0.05)),
      now, rate, sounds),
    h('div', {class: 'line'}, rows, line)));

  const show = () => {
    played.show(time);
    line.value = time;
    now.textContent = `${clock(time)} / ${clock(seconds)}`;
    line.setAttribute('aria-valuetext', now.textContent);
    dots.forEach((dot, index) => marks[index].classList.toggle('now', dot.at <= time && time <= dot.ends));
  };
  const tick = stamp => {
    const before = time;
    time = Math.min(seconds, time + speed * Math.min(0.5, (stamp - last) / 1000));
    last = stamp;
    show();
    played.hear(before, time, speed);
    if (time >= seconds) pause();
    else frame = requestAnimationFrame(tick);
  };
  const pause = () => {
    playing = false;
    cancelAnimationFrame(frame);
    played.hush();
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
    played.hush();
    time = Math.max(0, Math.min(seconds, to));
    show();
  };
  line.addEventListener('input', () => seek(Number(line.value)));
  rate.addEventListener('change', () => { speed = Number(rate.value); });
  const key = event => { // the space bar, unless it is for a field or a button that has the focus
    if (event.code !== 'Space' || (event.target !== document.body && event.target.id !== 'view' && !event.target.classList.contains('opened'))) return;
    event.preventDefault();
    toggle();
  };
  addEventListener('keydown', key);
  show();
  return {seek, close: () => { pause(); removeEventListener('keydown', key); }};
}
