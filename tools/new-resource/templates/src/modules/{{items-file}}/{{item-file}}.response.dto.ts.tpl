import { IdField, ObjectTypeField, UnixTimeField } from '../../common/http';
import type { RowOf } from '../../core/database';
import type { {{Item}}Entity } from './{{item-file}}.entity';

export type {{Item}}Row = RowOf<{{Item}}Entity>;

/** One of the account's {{items words}}, as the API returns it. */
export class {{Item}}Dto {
  @IdField('{{prefix}}')
  id!: string;

  @ObjectTypeField('{{item_name}}')
  object!: '{{item_name}}';

  /** @example first */
  name!: string;

  @UnixTimeField()
  createdAt!: number;
}

export function to{{Item}}Dto(row: {{Item}}Row): {{Item}}Dto {
  return {
    id: row.id,
    object: '{{item_name}}',
    name: row.name,
    createdAt: row.created_at.getTime(),
  };
}
