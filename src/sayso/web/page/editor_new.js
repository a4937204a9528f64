// The forms of the editor for what is new: things, furniture, people, sentences.

import {h, spaced, t} from './dom.js';
import {choice, field, lines, words} from './editor_form.js';

const asId = text => text.toLowerCase().replace(/[^a-z0-9]+/g, '_').replace(/^[^a-z]+|_+$/g, '').slice(0, 60);
const labelled = ids => Object.fromEntries(ids.map(id => [id, spaced(id)]));

// `edit(what, key)` does it, and selects the new one.
export function newForms(home, edit) {
  const spoken = Object.fromEntries(Object.entries(home.places).map(([id, place]) => [id, place.names[0] ?? spaced(id)]));
  const some = test => Object.fromEntries(Object.entries(spoken).filter(([id]) => test(home.places[id])));
  const tops = some(place => place.surface), rooms = some(place => place.kind === 'room');
  return [
    Object.keys(tops).length > 0 && form('new_thing', home.plan ? {on: tops, shape: labelled(home.plan.shapes)} : {on: tops}, ['names', 'category', 'color'], (given, id) =>
      edit({do: 'add', kind: 'object', id, ...given}, `object/${id}`)),
    home.plan && form('new_furniture', {shape: labelled(home.plan.furniture_shapes), room: rooms}, ['names'], (given, id) =>
      edit({do: 'add', kind: 'furniture', id, ...given}, `furniture/${id}`), t('editor.new_furniture_hint')),
    form('new_person', {room: rooms}, ['names'], (given, id) => edit({do: 'add', kind: 'person', id, ...given}, `person/${id}`)),
    newIntent(home, edit),
  ];
}

// Texts and choices of something new that has names.
function form(title, choices, texts, add, hint = '') {
  const given = Object.fromEntries(Object.entries(choices).map(([name, options]) => [name, Object.keys(options)[0]]));
  const made = h('form', {},
    texts.map(name => field(name, '', text => { given[name] = name === 'names' ? words(text) : text; }, name === 'names' ? {hint: t('editor.names_hint')} : {})),
    Object.entries(choices).map(([name, options]) => choice(name, options, given[name], value => { given[name] = value; })),
    hint && h('p', {class: 'faint'}, hint), h('button', {type: 'submit'}, t('editor.add')));
  made.addEventListener('submit', event => {
    event.preventDefault();
    add(given, asId(given.names?.[0] ?? ''));
  });
  return h('details', {class: 'card'}, h('summary', {}, t(`editor.${title}`)), made);
}

// New sentences for something that the robot can do.
function newIntent(home, edit) {
  const given = {name: '', action: home.actions[0], examples: []};
  const made = h('form', {}, field('intent_name', '', text => { given.name = text; }),
    choice('action', labelled(home.actions), given.action, value => { given.action = value; }),
    field('examples', '', text => { given.examples = lines(text); }, {tall: true, hint: t('editor.examples_hint')}), h('button', {type: 'submit'}, t('editor.add')));
  made.addEventListener('submit', event => {
    event.preventDefault();
    const id = asId(given.name);
    edit({do: 'intent', id, action: given.action, examples: given.examples}, `intent/${id}`);
  });
  return h('details', {class: 'card'}, h('summary', {}, t('editor.new_intent')), made);
}
