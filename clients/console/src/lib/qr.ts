import { encode } from 'uqr';

const SVG_NAMESPACE = 'http://www.w3.org/2000/svg';

/** Renders the text as a QR code, dark on light in every colour scheme, since many readers require it. */
export function createQrCode(text: string, label: string): SVGElement {
  const { size, data } = encode(text, { border: 3 });
  const cells = data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])));
  const svg = createSvgElement('svg', { viewBox: `0 0 ${size} ${size}`, role: 'img', 'aria-label': label });
  svg.append(
    createSvgElement('rect', { width: String(size), height: String(size), fill: '#fff' }),
    createSvgElement('path', { d: cells.join(''), fill: '#000', 'shape-rendering': 'crispEdges' }),
  );
  return svg;
}

function createSvgElement(name: string, attributes: Record<string, string>): SVGElement {
  const element = document.createElementNS(SVG_NAMESPACE, name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  return element;
}
