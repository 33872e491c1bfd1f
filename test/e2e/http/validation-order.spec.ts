import type * as ClassValidator from 'class-validator';
import type { ValidationMetadata } from 'class-validator/types/metadata/ValidationMetadata';
import '../../../src/app.module';

declare const requireBuilt: (name: string) => typeof ClassValidator;

const LENGTH_RULES = ['isLength', 'maxLength'];
/** Rules that read the text of a value. */
const TEXT_RULES = ['matches', 'isVisible'];
/** A repetition without an end. Without one, an anchored pattern reads no more characters than it accepts. */
const ENDLESS = /[*+]|\{\d+,\}/;

/** Validation ends at the first rule that fails (`validateInput`), so a pattern never reads a text that is too long. */
describe('the rules of every field of a request', () => {
  // The package of the build: Jest has another instance of it for the tests.
  const storage = requireBuilt('class-validator').getMetadataStorage() as unknown as {
    validationMetadatas: Map<{ name: string }, ValidationMetadata[]>;
  };
  const fields = [...storage.validationMetadatas].flatMap(([dto, rules]) =>
    [...new Set(rules.map(({ propertyName }) => propertyName))].map((name) => ({
      field: `${dto.name}.${name}`,
      rules: rules.filter(({ propertyName }) => propertyName === name),
    })),
  );
  const isBounded = ({ name, constraints }: ValidationMetadata) => {
    if (name !== 'matches') return false;
    const { source } = constraints[0] as RegExp;
    return source.startsWith('^') && source.endsWith('$') && !ENDLESS.test(source.replace(/\[[^\]]*\]/g, ''));
  };

  it('check the length before the characters', () => {
    const read = fields.flatMap(({ field, rules }) =>
      rules.flatMap((rule, index) => {
        if (!TEXT_RULES.includes(rule.name!) || isBounded(rule)) return [];
        const isLimited = rules
          .slice(0, index)
          .some(({ name, each }) => LENGTH_RULES.includes(name!) && Boolean(each) === Boolean(rule.each));
        return [{ field, isLimited }];
      }),
    );
    expect(read.length).toBeGreaterThan(40);
    expect(read.filter(({ isLimited }) => !isLimited)).toEqual([]);
  });

  it('check the type before the length', () => {
    const limited = fields.filter(({ rules }) => rules.some(({ name }) => LENGTH_RULES.includes(name!)));
    expect(limited.length).toBeGreaterThan(60);
    const findIndex = (rules: ValidationMetadata[], names: string[]) =>
      rules.findIndex(({ name }) => names.includes(name!));
    const late = limited.filter(
      ({ rules }) => !(findIndex(rules, ['isString', 'isIn']) < findIndex(rules, LENGTH_RULES)),
    );
    expect(late.map(({ field }) => field)).toEqual([]);
  });

  it('check the number of elements before the elements', () => {
    const isElementRule = ({ each, type }: ValidationMetadata) => each && type !== 'nestedValidation';
    const lists = fields.filter(({ rules }) => rules.some(isElementRule));
    expect(lists.length).toBeGreaterThan(4);
    const late = lists.filter(({ rules }) => {
      const limit = rules.findIndex(({ name }) => name === 'arrayMaxSize');
      return limit === -1 || limit > rules.findIndex(isElementRule);
    });
    expect(late.map(({ field }) => field)).toEqual([]);
  });
});
