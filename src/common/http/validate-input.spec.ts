import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Length,
  Max,
  Min,
} from 'class-validator';
import { DisplayName } from './text-fields';
import { QueryClampedInteger, QueryInteger } from './query-fields';
import { validateInput } from './validate-input';

/** The rule nearest to a property is checked first, so that a wrong type is reported as one. */
class ExampleDto {
  @IsOptional()
  @Length(2, 4)
  @IsString()
  text?: string;

  @IsOptional()
  @Min(1)
  @Max(3)
  @IsInt()
  count?: number;

  @IsOptional()
  @IsIn(['a', 'b', 'c'], { each: true })
  @ArrayUnique()
  @ArrayMaxSize(2)
  @IsArray()
  tags?: string[];

  @IsOptional()
  @DisplayName(5)
  name?: string;
}

class RequiredDto {
  @IsString()
  id!: string;
}

class QueryDto {
  @QueryInteger(0, 10)
  page?: number;

  @QueryClampedInteger(1, 200)
  limit?: number;

  @IsOptional()
  @Transform(({ value }: { value: unknown }) => value)
  @IsString()
  text?: string;
}

const findCodes = async (...input: Parameters<typeof validateInput>) =>
  (await validateInput(...input)).violations.map(({ path, code }) => `${path} ${code}`);

describe('validation of a body', () => {
  it.each([
    ['the shortest text', { text: 'ab' }, []],
    ['the longest text', { text: 'abcd' }, []],
    ['a text too short', { text: 'a' }, ['/text out_of_range']],
    ['a text too long', { text: 'abcde' }, ['/text out_of_range']],
    ['a number for a text', { text: 12 }, ['/text invalid_type']],
    ['the smallest number', { count: 1 }, []],
    ['the largest number', { count: 3 }, []],
    ['a number too small', { count: 0 }, ['/count out_of_range']],
    ['a number too large', { count: 4 }, ['/count out_of_range']],
    ['a fraction', { count: 1.5 }, ['/count invalid_type']],
    ['a number as text', { count: '1' }, ['/count invalid_type']],
    ['a full list', { tags: ['a', 'b'] }, []],
    ['a list too long', { tags: ['a', 'b', 'c'] }, ['/tags out_of_range']],
    ['a repeated element', { tags: ['a', 'a'] }, ['/tags not_unique']],
    ['an element that is not allowed', { tags: ['d'] }, ['/tags not_allowed']],
    ['a text for a list', { tags: 'a' }, ['/tags invalid_type']],
    ['a blank name', { name: ' ' }, ['/name invalid_format']],
    ['an invisible character in a name', { name: 'a\u200bb' }, ['/name invalid_format']],
    ['a line break in a name', { name: 'a\nb' }, ['/name invalid_format']],
    ['an unknown member', { other: 1 }, ['/other unknown_field']],
    ['an unknown member with / and ~', { 'a/b~c': 1 }, ['/a~1b~0c unknown_field']],
    [
      'several violations',
      { text: 'a', count: 4, x: 1 },
      ['/x unknown_field', '/text out_of_range', '/count out_of_range'],
    ],
  ])('finds one violation per member: %s', async (_name, input, codes) => {
    expect(await findCodes('body', ExampleDto, input)).toEqual(codes);
  });

  it.each([
    ['missing', {}, ['/id required']],
    ['empty', { id: '' }, []],
  ])('requires what is not optional: %s', async (_name, input, codes) => {
    expect(await findCodes('body', RequiredDto, input)).toEqual(codes);
  });

  it.each([
    ['null', null],
    ['a number', 1],
    ['a text', 'a'],
    ['a list', [{}]],
  ])('rejects a root that is not an object: %s', async (_name, input) => {
    expect(await findCodes('body', ExampleDto, input)).toEqual([' invalid_type']);
    expect(await findCodes('body', undefined, input)).toEqual([' invalid_type']);
  });

  it('allows an empty body only to routes without a DTO', async () => {
    expect(await findCodes('body', undefined, {})).toEqual([]);
    expect(await findCodes('body', undefined, { a: 1 })).toEqual(['/a unknown_field']);
  });

  it('names the path in the message, in place of the property', async () => {
    const { violations } = await validateInput('body', ExampleDto, { count: 4 });
    expect(violations).toEqual([
      { in: 'body', path: '/count', code: 'out_of_range', message: '/count must not be greater than 3.' },
    ]);
  });
});

describe('validation of a query', () => {
  it.each([
    ['the smallest integer', { page: '0' }, 0],
    ['the largest integer', { page: '10' }, 10],
  ])('reads %s', async (_name, input, page) => {
    expect((await validateInput('query', QueryDto, input)).value).toEqual({ page });
  });

  it.each([
    ['an integer too small', { page: '-1' }, ['/page out_of_range']],
    ['an integer too large', { page: '11' }, ['/page out_of_range']],
    ['17 digits', { page: '12345678901234567' }, ['/page invalid_type']],
    ['a fraction', { page: '1.0' }, ['/page invalid_type']],
    ['an exponent', { page: '1e1' }, ['/page invalid_type']],
    ['a hexadecimal number', { page: '0x1' }, ['/page invalid_type']],
    ['an empty value', { page: '' }, ['/page invalid_type']],
    ['a space', { page: ' 1' }, ['/page invalid_type']],
    ['a repeated parameter', { page: ['1', '2'] }, ['/page repeated_parameter']],
    ['a repeated unknown parameter', { x: ['1', '2'] }, ['/x repeated_parameter']],
    ['an unknown parameter', { x: '1' }, ['/x unknown_parameter']],
    ['NUL', { text: 'a\0' }, ['/text invalid_format']],
  ])('rejects %s', async (_name, input, codes) => {
    expect(await findCodes('query', QueryDto, input)).toEqual(codes);
  });

  it.each([
    ['the limit', '200', 200],
    ['one more', '201', 200],
    ['a number of 400 digits', '9'.repeat(400), 200],
  ])('clamps a page size of %s', async (_name, limit, expected) => {
    expect((await validateInput('query', QueryDto, { limit })).value).toEqual({ limit: expected });
  });

  it('rejects a page size of 0', async () => {
    expect(await findCodes('query', QueryDto, { limit: '0' })).toEqual(['/limit out_of_range']);
  });
});
