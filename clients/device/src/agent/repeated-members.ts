/**
 * Returns whether an object of a JSON text has two members of the same name. Programs read such an object differently,
 * so that the shown value may be another one than the value that is used (RFC 8259, section 4). Takes linear time.
 * @param json a valid JSON text
 */
export function hasRepeatedMember(json: string): boolean {
  /** Names of each object that is open; null for an array. */
  const openValues: (Set<string> | null)[] = [];
  let isNameNext = false;
  for (let index = 0; index < json.length; index++) {
    const character = json[index];
    if (character === '"') {
      const end = findStringEnd(json, index);
      if (isNameNext && !addName(openValues.at(-1), json.slice(index, end + 1))) return true;
      isNameNext = false;
      index = end;
    } else if (character === '{' || character === '[') {
      openValues.push(character === '{' ? new Set() : null);
      isNameNext = character === '{';
    } else if (character === '}' || character === ']') {
      openValues.pop();
      isNameNext = false;
    } else if (character === ',') {
      isNameNext = openValues.at(-1) !== null;
    }
  }
  return false;
}

/** Returns false if the object has the name already. */
function addName(names: Set<string> | null | undefined, text: string): boolean {
  const name = text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1);
  if (!names || names.has(name)) return false;
  names.add(name);
  return true;
}

/** Returns the index of the quotation mark that is not escaped. */
function findStringEnd(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}
