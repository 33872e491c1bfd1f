import { encode } from 'uqr';

const SVG = 'http://www.w3.org/2000/svg';

/**
 * The text as a QR code, dark on light whatever the page's colours are: many readers know no other.
 * @param {string} text
 * @param {string} label
 */
export function qrCode(text, label) {
  const { size, data } = encode(text, { border: 3 });
  const cells = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  const svg = element('svg', { viewBox: `0 0 ${size} ${size}`, role: 'img', 'aria-label': label });
  svg.append(
    element('rect', { width: String(size), height: String(size), fill: '#fff' }),
    element('path', { d: cells.join(''), fill: '#000', 'shape-rendering': 'crispEdges' }),
  );
  return svg;
}

/** @param {string} name @param {Record<string, string>} attributes */
function element(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  return made;
}
