import ts from '../typescript-api.mjs';

/** A file that handles some events names them. One that names more than its module publishes lists them again. */
const MOST_NAMED = 5;
const MANIFEST = /\.manifest\.ts$/;

/** Returns the files that list types of events, which manifests alone declare. */
export function findEventLists(files) {
  const types = new Set(files.filter(({ path }) => MANIFEST.test(path)).flatMap(readEventTypes));
  return files
    .filter(({ path }) => path.startsWith('src/') && !MANIFEST.test(path))
    .map(({ path, source }) => ({ path, named: countNamed(source, types) }))
    .filter(({ named }) => named > MOST_NAMED)
    .map(({ path, named }) => ({ path, name: `${named} types` }));
}

function readEventTypes({ source }) {
  const found = [];
  const visit = (node) => {
    if (ts.isPropertyAssignment(node) && node.name.getText(source) === 'events')
      found.push(...node.initializer.properties.map(({ name }) => name.text));
    else ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function countNamed(source, types) {
  const named = [...source.text.matchAll(/'([\w.]+)'/g)].map(([, name]) => name).filter((name) => types.has(name));
  return new Set(named).size;
}
