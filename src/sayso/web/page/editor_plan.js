// The floor plan of the editor: what stands in the home can be dragged, or moved with the arrow keys.

import {fill, h, t} from './dom.js';

const STEP = 0.05; // m
const MARGIN = 0.3; // m
const PAUSE = 600; // ms without a key until a move by keys is done
const ARROWS = {ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP]};

const snapped = value => Math.round(value / STEP) * STEP;

// `acts`: select(key) and move(key, x, y), where a key is "furniture/sofa".
export function plan(acts) {
  const svg = h('svg:svg', {class: 'editor-plan', role: 'group', 'aria-label': t('editor.plan')});
  let home = null, chosen = '', drag = null, waiting = null;

  const point = event => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [at.x, -at.y];
  };
  const set = (item, x, y) => {
    item.at = [x, y];
    item.shape.setAttribute('transform', `translate(${x} ${y})`);
  };
  const draggable = (key, name, at, shapes) => {
    const item = {key, at: [...at], shape: null};
    item.shape = h('svg:g', {class: `item ${key.split('/')[0]}`, transform: `translate(${at[0]} ${at[1]})`, tabindex: 0, role: 'button',
      'aria-label': t('editor.item', {name}), 'aria-pressed': String(key === chosen)}, shapes, h('svg:title', {}, name));
    item.shape.dataset.key = key;
    item.shape.addEventListener('focus', () => acts.select(key));
    item.shape.addEventListener('pointerdown', event => {
      acts.select(key);
      if (home.read_only) return;
      event.preventDefault();
      item.shape.setPointerCapture(event.pointerId);
      const [x, y] = point(event);
      drag = {item, from: [...item.at], off: [item.at[0] - x, item.at[1] - y]};
    });
    item.shape.addEventListener('pointermove', event => {
      if (drag?.item !== item) return;
      const [x, y] = point(event);
      set(item, snapped(x + drag.off[0]), snapped(y + drag.off[1]));
    });
    item.shape.addEventListener('pointerup', () => {
      if (drag?.item !== item) return;
      const {from} = drag;
      drag = null;
      if (Math.hypot(item.at[0] - from[0], item.at[1] - from[1]) >= STEP / 2) acts.move(key, ...item.at);
      else set(item, ...from);
    });
    item.shape.addEventListener('pointercancel', () => { if (drag) set(item, ...drag.from); drag = null; });
    item.shape.addEventListener('keydown', event => {
      const way = ARROWS[event.key];
      if (!way || home.read_only) return;
      event.preventDefault();
      set(item, snapped(item.at[0] + way[0]), snapped(item.at[1] + way[1]));
      clearTimeout(waiting);
      waiting = setTimeout(() => acts.move(key, ...item.at), PAUSE);
    });
    return item.shape;
  };

  const draw = (given, selected) => {
    home = given;
    chosen = selected;
    const {plan: drawn} = home, focused = document.activeElement?.dataset?.key;
    if (!drawn) return fill(svg);
    const [x0, y0, x1, y1] = drawn.area;
    svg.setAttribute('viewBox', `${x0 - MARGIN} ${-y1 - MARGIN} ${x1 - x0 + 2 * MARGIN} ${y1 - y0 + 2 * MARGIN}`);
    const spoken = (section, id) => home[section][id]?.names[0] ?? id.replaceAll('_', ' ');
    const standing = Object.entries(drawn.furniture).map(([id, {kind, at, yaw, size}]) => {
      const box = h('svg:g', {transform: `rotate(${yaw})`}, h('svg:rect', {x: -size[0] / 2, y: -size[1] / 2, width: size[0], height: size[1]}),
        kind === 'furniture' && h('svg:path', {class: 'front', d: `M${size[0] / 2} ${-size[1] / 4} V${size[1] / 4}`}));
      return kind === 'furniture' ? draggable(`furniture/${id}`, spoken('places', id), at, box) : h('svg:g', {class: 'decor', transform: `translate(${at[0]} ${at[1]})`}, box);
    });
    fill(svg, h('svg:g', {transform: 'scale(1 -1)'},
      drawn.rooms.map(room => h('svg:rect', {class: 'room', x: room.area[0], y: room.area[1], width: room.area[2] - room.area[0], height: room.area[3] - room.area[1], fill: room.color})),
      drawn.walls.map(corners => h('svg:polygon', {class: 'wall', points: corners.join(' ')})), standing,
      Object.entries(drawn.objects).map(([id, at]) => {
        const color = home.objects[id]?.color ?? '';
        return draggable(`object/${id}`, spoken('objects', id), at, h('svg:circle', {r: 0.09, fill: CSS.supports('color', color) ? color : 'gray'}));
      }),
      Object.entries(drawn.people).map(([id, {at, yaw}]) => draggable(`person/${id}`, spoken('people', id), at,
        h('svg:g', {transform: `rotate(${yaw})`}, h('svg:circle', {r: 0.2}), h('svg:path', {class: 'front', d: 'M.1 -.1 L.2 0 L.1 .1'})))),
      Object.entries(home.places).filter(([, place]) => place.kind !== 'furniture').map(([id, {at, yaw}]) => draggable(`place/${id}`, spoken('places', id), at,
        h('svg:path', {class: 'mark', transform: `rotate(${yaw})`, d: 'M-.12 -.12 L.18 0 L-.12 .12 Z'})))),
      drawn.rooms.map(({id, area}) => h('svg:text', {class: 'room-name', x: (area[0] + area[2]) / 2, y: -area[3] + 0.45}, spoken('places', id))));
    if (focused) svg.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  };
  const mark = key => {
    chosen = key;
    for (const each of svg.querySelectorAll('.item')) each.setAttribute('aria-pressed', String(each.dataset.key === key));
  };
  return {svg, draw, mark, end: () => clearTimeout(waiting)};
}
