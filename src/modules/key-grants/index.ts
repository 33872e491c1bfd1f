export { ContentReader, type ContentReadResult, type StoredCiphertext } from './content/content-reader';
export {
  PlaintextContentDto,
  PlaintextPermissionContentDto,
  SealedContentDto,
  SealedPermissionContentDto,
} from './content/content.response.dto';
export { KeyGrantDto } from './key-grant.response.dto';
export * from './key-grants.module';
export { KeyGrantsService } from './key-grants.service';
export { isRecipientPublicKey, pickRecipientKeyMembers, RecipientKeyDto } from './recipient-key';
