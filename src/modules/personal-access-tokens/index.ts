export { ExternalTokenDto, type TokenWithSecretDto } from './personal-access-token.response.dto';
export {
  CreateExternalTokenDto,
  RenamePersonalAccessTokenDto,
  RotatePersonalAccessTokenDto,
} from './personal-access-tokens.dto';
export * from './personal-access-tokens.module';
export { PersonalAccessTokensService } from './personal-access-tokens.service';
