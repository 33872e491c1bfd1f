import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('{{items_table}}')
export class {{Item}}Entity {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  accountId!: string;

  @Column('text')
  name!: string;

{{#write}}
  /** Starts at 1 and grows with every change. */
  @Column('integer')
  version!: number;

  @Column('timestamptz')
  updatedAt!: Date;

{{/write}}
  @Column('timestamptz')
  createdAt!: Date;
}
