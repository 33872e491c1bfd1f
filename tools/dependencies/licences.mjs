/** Allowed licences, which require only their notice when the service is distributed. */
const ANYWHERE = [
  ...['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause'],
  ...['CC0-1.0', 'ISC', 'MIT', 'Python-2.0', 'Unlicense', 'Zlib'],
];
/** Allowed licences of development tools, which aren't distributed. */
const IN_DEVELOPMENT = [...ANYWHERE, 'CC-BY-4.0', 'MPL-2.0'];

/** @param licence SPDX expression of names, AND, OR and one pair of parentheses around it; null if unknown */
export function isAllowed({ licence, dev }) {
  const allowed = dev ? IN_DEVELOPMENT : ANYWHERE;
  const choices = (licence ?? 'unknown').replace(/^\((.*)\)$/, '$1').split(' OR ');
  return choices.some((choice) => choice.split(' AND ').every((name) => allowed.includes(name)));
}
