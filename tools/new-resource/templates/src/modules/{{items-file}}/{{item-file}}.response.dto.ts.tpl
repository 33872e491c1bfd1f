import { {{#write}}CountField, {{/write}}IdField, ObjectTypeField, UnixTimeField } from '../../common/http';
import type { RowOf } from '../../core/database';
{{#event}}
import { EventData } from '../../core/events';
{{/event}}
import type { {{Item}}Entity } from './{{item-file}}.entity';

export type {{Item}}Row = RowOf<{{Item}}Entity>;

/** One of the account's {{items words}}, as the API returns it. */
{{#event}}
@EventData()
{{/event}}
export class {{Item}}Dto {
  @IdField('{{prefix}}')
  id!: string;

  @ObjectTypeField('{{item_name}}')
  object!: '{{item_name}}';

  /** @example first */
  name!: string;

{{#write}}
  /** Starts at 1 and grows with every change. */
  @CountField(1, 1)
  version!: number;

{{/write}}
  @UnixTimeField()
  createdAt!: number;
{{#write}}

  @UnixTimeField()
  updatedAt!: number;
{{/write}}
}

export function to{{Item}}Dto(row: {{Item}}Row): {{Item}}Dto {
  return {
    id: row.id,
    object: '{{item_name}}',
    name: row.name,
{{#write}}
    version: row.version,
{{/write}}
    createdAt: row.created_at.getTime(),
{{#write}}
    updatedAt: row.updated_at.getTime(),
{{/write}}
  };
}
