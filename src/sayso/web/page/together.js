// Plays two recordings side by side on one time line. Where both have a sentence, they begin it together.

import {fill, h, t} from './dom.js';
import {look, said, startOf} from './marks.js';
import {showScreen} from './screen.js';
import {showTransport} from './transport.js';

const NAMES = ['A', 'B'];

// One time line for two recordings that are `seconds` long. `pairs`: [s in the first, s in the second] of the same moment, in order.
// Between two pairs, both run at their own pace, and the one that is through first waits: nothing is stretched.
export function timeline(pairs, seconds) {
  const anchors = [[0, 0]];
  for (const pair of [...pairs, seconds]) if (pair.every((time, which) => time >= anchors.at(-1)[which])) anchors.push(pair);
  const begins = [0]; // s on the common line, of each anchor
  anchors.slice(1).forEach((anchor, index) => begins.push(begins[index] + Math.max(...anchor.map((time, which) => time - anchors[index][which]))));
  return {
    seconds: begins.at(-1),
    // The times in both recordings at a time of the common line.
    at: time => {
      const index = Math.max(0, begins.findLastIndex(begin => begin <= time)), next = anchors[index + 1] ?? anchors[index];
      return anchors[index].map((begin, which) => Math.min(begin + time - begins[index], next[which]));
    },
    // Where a time of one of the recordings is on the common line.
    of: (which, time) => {
      const index = Math.max(0, anchors.findLastIndex(anchor => anchor[which] <= time));
      return begins[index] + time - anchors[index][which];
    },
  };
}

// The moments at which both begin the same sentence. `rows` come from the server, in the order of both.
export function pairsOf(rows, [first, second]) {
  const next = [0, 0], pairs = [];
  for (const row of rows) {
    const marks = [row.first && first[next[0]++], row.second && second[next[1]++]];
    if (marks.every(Boolean)) pairs.push(marks.map(startOf));
  }
  return pairs;
}

// `both`: two of {recording, events}.
export function showTogether(root, app, both, rows) {
  const marks = both.map(each => each.recording.marks), line = timeline(pairsOf(rows, marks), both.map(each => each.recording.seconds));
  const head = h('div'), column = (which, name) => h('section', {class: 'column', 'aria-label': `${NAMES[which]}: ${name}`});
  const seen = both.map((_, which) => column(which, t('map.title'))), told = both.map((_, which) => column(which, t('stories.title')));
  root.append(head, h('div', {class: 'columns both'}, seen), h('div', {class: 'columns'}, told));
  const screens = both.map(({recording, events}, which) => {
    for (const each of [seen[which], told[which]]) each.append(h('h3', {}, h('b', {}, `${NAMES[which]} `), recording.name));
    return showScreen({stories: told[which], map: seen[which], picture: seen[which]}, app, recording, events);
  });
  const heard = h('select', {'aria-label': t('recordings.sound')}, [...NAMES.map(name => t('recordings.sound_of', {name})), t('recordings.no_sound')].map((label, index) => h('option', {value: index}, label)));
  const dots = marks.flatMap((each, which) => each.map(mark => {
    const at = line.of(which, startOf(mark));
    return {at, ends: at + mark.t + 0.5 - startOf(mark), row: NAMES[which], class: look(mark), label: `${NAMES[which]} ${said(mark)}`};
  }));
  const hush = () => screens.forEach(screen => screen.hush());
  const transport = showTransport(head, {name: t('recordings.together'), seconds: line.seconds, dots, sounds: heard}, {
    show: time => line.at(time).forEach((own, which) => screens[which].seek(own)),
    hear: (from, to, speed) => {
      const which = Number(heard.value), begin = line.at(from)[which], end = line.at(to)[which];
      if (end > begin) screens[which]?.hear(begin, end, speed);
    },
    hush,
  });
  heard.addEventListener('change', hush);
  return {
    seek: mark => transport.seek(line.of(marks[0].includes(mark) ? 0 : 1, startOf(mark))),
    close: () => { transport.close(); screens.forEach(screen => screen.close()); fill(root); },
  };
}
