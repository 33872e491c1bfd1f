import { IdField, ObjectField, TimeField } from '../common/http';

/** A row of `{{items_table}}`. */
export interface {{Item}}Row {
  id: string;
  account_id: string;
  name: string;
  created_at: Date;
}

/** One of the account's {{items words}}, as the API shows it. */
export class {{Item}}Record {
  @IdField('{{prefix}}')
  id!: string;

  @ObjectField('{{item_name}}')
  object!: '{{item_name}}';

  /** @example first */
  name!: string;

  @TimeField()
  createdAt!: number;
}

export function to{{Item}}Record(row: {{Item}}Row): {{Item}}Record {
  return {
    id: row.id,
    object: '{{item_name}}',
    name: row.name,
    createdAt: row.created_at.getTime(),
  };
}
