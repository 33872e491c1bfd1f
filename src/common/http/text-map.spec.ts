import { IsOptional } from 'class-validator';
import { IsTextMap, TextMap, type TextMapRules } from './text-map';
import { validateInput } from './validate-input';

const RULES: TextMapRules = { maxMembers: 2, pattern: /^[a-z]{1,3}$/, form: '1 to 3 letters' };

@TextMap(RULES)
class MapDto {
  [name: string]: string;
}

class FieldDto {
  @IsOptional()
  @IsTextMap(RULES)
  values?: Record<string, string>;
}

const validate = (type: new () => object, input: unknown) => validateInput('body', type, input);

describe('a body whose names the caller chooses', () => {
  it('is passed on as it is', async () => {
    expect(await validate(MapDto, { a: 'b', c: 'd' })).toEqual({ value: { a: 'b', c: 'd' }, violations: [] });
  });

  it.each<[object, string, string]>([
    [{}, '', 'out_of_range'],
    [{ a: 'b', c: 'd', e: 'f' }, '', 'out_of_range'],
    [{ long: 'b' }, '/long', 'invalid_format'],
    [{ a: 'long' }, '/a', 'invalid_format'],
    [{ a: 1 }, '/a', 'invalid_type'],
    [{ a: ['b'] }, '/a', 'invalid_type'],
    [{ '/': 'b' }, '/~1', 'invalid_format'],
  ])('is refused where it breaks the rules: %j', async (input, path, code) => {
    expect((await validate(MapDto, input)).violations).toMatchObject([{ in: 'body', path, code }]);
  });
});

describe('a field whose names the caller chooses', () => {
  it('follows the same rules', async () => {
    expect((await validate(FieldDto, { values: { a: 'b' } })).violations).toEqual([]);
    for (const values of [{}, { a: 1 }, ['a'], 'a', { long: 'b' }])
      expect((await validate(FieldDto, { values })).violations).toMatchObject([{ path: '/values' }]);
  });
});
