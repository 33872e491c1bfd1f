import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('{{items_table}}')
export class {{Item}}Entity {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  accountId!: string;

  @Column('text')
  name!: string;

  @Column('timestamptz')
  createdAt!: Date;
}
