// Elements and texts. All text goes in as text, never as HTML: whatever people, bags or homes say stays harmless.

let texts = {};

export async function loadTexts() {
  texts = await (await fetch('texts.json')).json();
}

// The text of that name, with {…} replaced.
export function t(name, values = {}) {
  const found = name.split('.').reduce((part, key) => part?.[key], texts) ?? name;
  return found.replace(/\{(\w+)\}/g, (all, key) => values[key] ?? all);
}

// An element: h('button', {class: 'large', onclick: act}, 'Yes'). A property that is null or false is left out.
export function h(tag, properties = {}, ...children) {
  const element = tag.includes(':') ? document.createElementNS('http://www.w3.org/2000/svg', tag.slice(4)) : document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'style') for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
  return element;
}

export const percent = p => `${p >= 0.995 && p < 1 ? '> 99' : p > 0 && p < 0.005 ? '< 1' : Math.round(100 * p)} %`;

// "kitchen_counter" → "kitchen counter"
export const spaced = name => name.replaceAll('_', ' ');

// Replace what an element holds.
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false));
}

// A bar of a probability, with its label and figure, as in the report.
export function bar(label, p) {
  return h('div', {class: 'bar'}, h('span', {class: 'label'}, label), h('span', {class: 'number'}, percent(p)),
    h('div', {class: 'track'}, h('i', {style: {width: `${100 * Math.max(0, Math.min(1, p))}%`}})));
}
