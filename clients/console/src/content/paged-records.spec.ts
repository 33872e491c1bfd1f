import { mergePagedRecords } from './paged-records';

describe('records of a list', () => {
  const [first, second, third] = [1, 2, 3].map((n) => ({ id: `art_${n}`, createdAt: n, version: 1 }));
  const isNewer = (known: { version: number }, read: { version: number }) => known.version > read.version;

  it('are the newest first, each of them once', () => {
    expect(mergePagedRecords([second!], [first!, third!, second!], isNewer)).toEqual([third, second, first]);
    const sameTime = { ...first!, id: 'art_0' };
    expect(mergePagedRecords([], [sameTime, first!], isNewer)).toEqual([first, sameTime]);
  });

  it('replace earlier versions, and not later ones', () => {
    const changed = { ...first!, version: 2 };
    expect(mergePagedRecords([first!], [changed], isNewer)).toEqual([changed]);
    expect(mergePagedRecords([changed], [first!], isNewer)).toEqual([changed]);
  });
});
