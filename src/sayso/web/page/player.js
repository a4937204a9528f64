// Plays a recording.

import {fill, h, t} from './dom.js';
import {look, said, startOf} from './marks.js';
import {showScreen} from './screen.js';
import {showTransport} from './transport.js';

export function showPlayer(root, app, recording, events) {
  const left = h('section', {class: 'column', 'aria-label': t('stories.title')}), right = h('section', {class: 'column', 'aria-label': t('map.title')});
  const head = h('div'), loud = h('input', {type: 'checkbox', checked: true});
  root.append(head, h('div', {class: 'columns'}, left, right));
  const screen = showScreen({stories: left, map: right, picture: right}, app, recording, events);
  const dots = recording.marks.map(mark => ({at: startOf(mark), ends: mark.t + 0.5, row: '', class: look(mark), label: said(mark)}));
  const transport = showTransport(head, {name: t('recordings.player'), seconds: recording.seconds, dots, sounds: h('label', {}, loud, ` ${t('recordings.sound')}`)}, {
    show: screen.seek,
    hear: (from, to, speed) => loud.checked && screen.hear(from, to, speed),
    hush: screen.hush,
  });
  return {
    seek: mark => transport.seek(startOf(mark)),
    close: () => { transport.close(); screen.close(); fill(root); },
  };
}
