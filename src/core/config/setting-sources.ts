import { readFileSync } from 'node:fs';

const FILE_SUFFIX = '_FILE';
/** Shorter names, such as PORT, resemble too many variables of other programs. */
const MIN_SUSPECT_LENGTH = 8;
const MAX_TYPING_ERRORS = 2;

export interface VariableError {
  variable: string;
  message: string;
}

export interface MisspeltVariable {
  variable: string;
  nearest: string;
}

/**
 * Returns the values of the settings that are set, each from NAME or from the file that NAME_FILE names, without the
 * line breaks at its end. Empty variables count as unset. Errors contain neither values nor paths: a secret that is in
 * NAME_FILE by mistake must not reach the log.
 */
export function readSettingSources(
  names: readonly string[],
  env: NodeJS.ProcessEnv,
): { values: Record<string, string>; errors: VariableError[] } {
  const values: Record<string, string> = {};
  const errors: VariableError[] = [];
  for (const name of names) {
    const value = env[name];
    const path = env[`${name}${FILE_SUFFIX}`];
    if (value && path) errors.push({ variable: name, message: `must not be set together with ${name}${FILE_SUFFIX}` });
    else if (value) values[name] = value;
    else if (path) {
      try {
        values[name] = readSettingFile(name, path);
      } catch (error) {
        errors.push({ variable: name, message: (error as Error).message });
      }
    }
  }
  return { values, errors };
}

/** Returns the variables that are not settings, but whose name differs from one by a typing error. */
export function findMisspeltVariables(names: readonly string[], env: NodeJS.ProcessEnv): MisspeltVariable[] {
  const known = names.flatMap((name) => [name, `${name}${FILE_SUFFIX}`]);
  const isSuspect = (name: string) => env[name] && name.length >= MIN_SUSPECT_LENGTH && !known.includes(name);
  return Object.keys(env)
    .filter(isSuspect)
    .flatMap((variable) => {
      const [best] = known
        // The distance is at least the difference of the lengths.
        .filter((name) => Math.abs(name.length - variable.length) <= MAX_TYPING_ERRORS)
        .map((name) => ({ name, distance: countEdits(variable, name) }))
        .sort((one, other) => one.distance - other.distance);
      return best && best.distance <= MAX_TYPING_ERRORS ? { variable, nearest: best.name } : [];
    });
}

function readSettingFile(name: string, path: string): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`cannot be read from the file in ${name}${FILE_SUFFIX}: ${code}`, { cause: error });
  }
  text = text.replace(/(?<![\r\n])[\r\n]+$/, '');
  if (text === '') throw new Error(`has an empty file in ${name}${FILE_SUFFIX}`);
  return text;
}

/** Returns the Levenshtein distance of two texts. */
function countEdits(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const replaced = previous[column - 1]! + (one[row - 1] === other[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, previous[column]! + 1, current[column - 1]! + 1));
    }
    previous = current;
  }
  return previous.at(-1)!;
}
