export * from './page';
export * from './page-query.dto';
