export * from './cursor.service';
export * from './keyset-page.reader';
