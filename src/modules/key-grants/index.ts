export { ContentReader, type ContentReadResult, type StoredCiphertext } from './content/content-reader';
export * from './key-grants.module';
export { KeyGrantsService } from './key-grants.service';
