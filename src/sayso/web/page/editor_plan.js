// The floor plan of the editor: rooms, doorways and what stands in the home can be dragged, or moved with the arrow keys.

import {fill, h, spaced, t} from './dom.js';

const STEP = 0.05; // m
const MARGIN = 0.3; // m
const PAUSE = 600; // ms without a key until a move by keys is done
const ARROWS = {ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP]};
const EDGES = ['west', 'south', 'east', 'north']; // in the order of [x0, y0, x1, y1]
const CORNERS = [['west', 'south'], ['east', 'south'], ['east', 'north'], ['west', 'north']];
const HANDLE = 0.28; // m, the width of what one can grasp of an edge

const snapped = value => Math.round(value / STEP) * STEP;
const upright = edge => edge === 'west' || edge === 'east';

// The room that a key means; undefined: none.
export const roomOf = (home, key) => key.startsWith('place/') ? home.plan?.rooms.find(each => `place/${each.id}` === key) : undefined;

// "door kitchen – hallway"
export const doorName = (home, id) => {
  const rooms = home.plan.doors[id].rooms.map(room => home.places[room]?.names[0] ?? spaced(room));
  return rooms.length ? t('editor.door', {rooms: rooms.join(' – ')}) : t('editor.door', {rooms: id});
};

// `acts`: select(key) and edit(what), where a key is "furniture/sofa".
export function plan(acts) {
  const svg = h('svg:svg', {class: 'editor-plan', role: 'group', 'aria-label': t('editor.plan')}), handles = h('svg:g', {class: 'handles'});
  let home = null, chosen = '', drag = null, waiting = null, pending = null; // of moves by keys: the timer, and what it will do

  const point = event => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [at.x, -at.y];
  };
  // Something at a place that can be moved. `drop(x, y)` does it; `free`: along which axes; `moving(x, y)` shows what it would be.
  const draggable = (key, name, at, shapes, {selects = key, free = [true, true], moving = () => {}, drop}) => {
    const item = {at: [...at]};
    const shape = h('svg:g', {class: `item ${key.split('/')[0]}`, transform: `translate(${at[0]} ${at[1]})`, tabindex: 0, role: 'button',
      'aria-label': home.read_only ? name : t('editor.item', {name}), 'aria-pressed': String(selects === key && key === chosen)}, shapes, h('svg:title', {}, name));
    const set = (x, y) => {
      item.at = [free[0] ? x : at[0], free[1] ? y : at[1]];
      shape.setAttribute('transform', `translate(${item.at[0]} ${item.at[1]})`);
      moving(...item.at);
    };
    shape.dataset.key = key;
    shape.addEventListener('focus', () => acts.select(selects));
    shape.addEventListener('pointerdown', event => {
      acts.select(selects);
      if (home.read_only) return;
      event.preventDefault();
      shape.setPointerCapture(event.pointerId);
      const [x, y] = point(event);
      drag = {item, off: [item.at[0] - x, item.at[1] - y]};
    });
    shape.addEventListener('pointermove', event => {
      if (drag?.item !== item) return;
      const [x, y] = point(event);
      set(snapped(x + drag.off[0]), snapped(y + drag.off[1]));
    });
    shape.addEventListener('pointerup', () => {
      if (drag?.item !== item) return;
      drag = null;
      if (Math.hypot(item.at[0] - at[0], item.at[1] - at[1]) >= STEP / 2) drop(...item.at);
      else set(...at);
    });
    shape.addEventListener('pointercancel', () => { if (drag?.item === item) { drag = null; set(...at); } });
    shape.addEventListener('keydown', event => {
      const way = ARROWS[event.key];
      if (!way || home.read_only) return;
      event.preventDefault();
      if (!free[way[0] ? 0 : 1]) return;
      set(snapped(item.at[0] + way[0]), snapped(item.at[1] + way[1]));
      clearTimeout(waiting);
      pending = () => { clearTimeout(waiting); pending = null; drop(...item.at); };
      waiting = setTimeout(pending, PAUSE);
    });
    shape.addEventListener('blur', () => pending?.());
    return shape;
  };
  const standing = (key, name, at, shapes) => {
    const [kind, id] = key.split('/');
    return draggable(key, name, at, shapes, {drop: (x, y) => acts.edit({do: 'move', kind, id, x, y})});
  };

  // The edges and corners of the chosen room, to make it larger or smaller.
  const drawHandles = () => {
    const room = roomOf(home, chosen);
    if (!room || home.read_only) return fill(handles);
    const [x0, y0, x1, y1] = room.area, name = home.places[room.id]?.names[0] ?? spaced(room.id), ghost = h('svg:rect', {class: 'ghost'});
    const show = edges => {
      const [a, b, c, d] = room.area.map((value, index) => edges[EDGES[index]] ?? value);
      for (const [field, value] of Object.entries({x: a, y: b, width: Math.max(0, c - a), height: Math.max(0, d - b)})) ghost.setAttribute(field, value);
    };
    const asEdges = (which, x, y) => Object.fromEntries(which.map(edge => [edge, Number((upright(edge) ? x : y).toFixed(3))]));
    const handle = (which, at, shape, free) => draggable(`edge/${room.id}/${which.join('_')}`, t(`editor.edges.${which.join('_')}`, {room: name}), at, shape,
      {selects: chosen, free, moving: (x, y) => show(asEdges(which, x, y)), drop: (x, y) => acts.edit({do: 'room', id: room.id, edges: asEdges(which, x, y)})});
    const middle = {west: [x0, (y0 + y1) / 2], east: [x1, (y0 + y1) / 2], south: [(x0 + x1) / 2, y0], north: [(x0 + x1) / 2, y1]};
    const edges = EDGES.map(edge => {
      const [width, height] = upright(edge) ? [HANDLE, y1 - y0] : [x1 - x0, HANDLE];
      return handle([edge], middle[edge], h('svg:rect', {x: -width / 2, y: -height / 2, width, height, rx: 0.06}), [upright(edge), !upright(edge)]);
    });
    const corners = CORNERS.map(which => handle(which, [which[0] === 'west' ? x0 : x1, which[1] === 'south' ? y0 : y1],
      h('svg:rect', {class: 'corner', x: -0.18, y: -0.18, width: 0.36, height: 0.36, rx: 0.06}), [true, true]));
    show({});
    fill(handles, ghost, edges, corners);
    svg.querySelector(`[data-key="${CSS.escape(chosen)}"]`)?.after(handles); // Tab leads from the room to its walls
  };

  const draw = (given, selected) => {
    home = given;
    chosen = selected;
    const {plan: drawn} = home, focused = document.activeElement?.dataset?.key;
    if (!drawn) return fill(svg);
    const [x0, y0, x1, y1] = drawn.area;
    svg.setAttribute('viewBox', `${x0 - MARGIN} ${-y1 - MARGIN} ${x1 - x0 + 2 * MARGIN} ${y1 - y0 + 2 * MARGIN}`);
    const spoken = (section, id) => home[section][id]?.names[0] ?? spaced(id);
    const bodies = kind => Object.entries(drawn.furniture).filter(each => each[1].kind === kind).map(([id, {at, yaw, size}]) =>
      standing(`${kind}/${id}`, spoken('places', id), at, h('svg:g', {transform: `rotate(${yaw})`},
        h('svg:rect', {x: -size[0] / 2, y: -size[1] / 2, width: size[0], height: size[1]}),
        kind === 'furniture' && h('svg:path', {class: 'front', d: `M${size[0] / 2} ${-size[1] / 4} V${size[1] / 4}`}))));
    const doors = Object.entries(drawn.doors).map(([id, {at, width, along}]) => {
      const [wide, high] = along === 'x' ? [width, drawn.thickness] : [drawn.thickness, width];
      return draggable(`door/${id}`, doorName(home, id), at, h('svg:rect', {x: -wide / 2, y: -high / 2, width: wide, height: high}),
        {free: [along === 'x', along === 'y'], drop: (x, y) => acts.edit({do: 'door', id, x, y})});
    });
    fill(svg, h('svg:g', {transform: 'scale(1 -1)'},
      drawn.rooms.map(room => h('svg:rect', {class: 'room', x: room.area[0], y: room.area[1], width: room.area[2] - room.area[0], height: room.area[3] - room.area[1], fill: room.color,
        onpointerdown: () => acts.select(`place/${room.id}`)})),
      drawn.walls.map(corners => h('svg:polygon', {class: 'wall', points: corners.join(' ')})), doors, bodies('decor'), bodies('furniture'),
      Object.entries(drawn.objects).map(([id, at]) => {
        const color = home.objects[id]?.color ?? '';
        return standing(`object/${id}`, spoken('objects', id), at, h('svg:circle', {r: 0.09, fill: CSS.supports('color', color) ? color : 'gray'}));
      }),
      Object.entries(drawn.people).map(([id, {at, yaw}]) => standing(`person/${id}`, spoken('people', id), at,
        h('svg:g', {transform: `rotate(${yaw})`}, h('svg:circle', {r: 0.2}), h('svg:path', {class: 'front', d: 'M.1 -.1 L.2 0 L.1 .1'})))),
      Object.entries(home.places).filter(([, place]) => place.kind !== 'furniture').map(([id, {at, yaw}]) => standing(`place/${id}`, spoken('places', id), at,
        h('svg:path', {class: 'mark', transform: `rotate(${yaw})`, d: 'M-.12 -.12 L.18 0 L-.12 .12 Z'}))),
      handles),
      drawn.rooms.map(({id, area}) => h('svg:text', {class: 'room-name', x: (area[0] + area[2]) / 2, y: -area[3] + 0.45}, spoken('places', id))));
    drawHandles();
    if (focused) svg.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  };
  const mark = key => {
    const room = roomOf(home, chosen) ?? roomOf(home, key);
    chosen = key;
    for (const each of svg.querySelectorAll('.item')) each.setAttribute('aria-pressed', String(each.dataset.key === key));
    if (room) drawHandles();
  };
  return {svg, draw, mark, end: () => clearTimeout(waiting)};
}
