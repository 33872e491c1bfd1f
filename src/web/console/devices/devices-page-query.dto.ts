import { PageQueryDto } from '../../../common/pages';
import { QueryText } from '../forms/query-text';

/** Query of the page of devices, to which other programs link. */
export class DevicesPageQueryDto extends PageQueryDto {
  /** Pairing code that the page fills in. The project's own devices have it in the fragment, which no server logs. */
  @QueryText(32)
  code?: string;
}
