import { Column, Entity, PrimaryColumn } from 'typeorm';
import { selectEntityColumns, selectEntityProperties, type RowOf } from './entity-rows';

@Entity('notes')
class NoteEntity {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  last4!: string;

  @Column('timestamptz', { nullable: true })
  lastUsedAt!: Date | null;

  @Column({ type: 'integer', insert: false })
  openCount?: number;
}

describe('rows of an entity', () => {
  it('have the names of the columns', () => {
    const row: RowOf<NoteEntity> = { id: 'note', last4: 'abcd', last_used_at: null };
    expect({ ...row, open_count: 1 } satisfies RowOf<NoteEntity>).toEqual({
      id: 'note',
      last4: 'abcd',
      last_used_at: null,
      open_count: 1,
    });
  });

  it('are selected by column, without the omitted ones', () => {
    expect(selectEntityColumns(NoteEntity, 'n')).toBe('n.id, n.last4, n.last_used_at, n.open_count');
    expect(selectEntityColumns(NoteEntity, 'n', ['last4', 'openCount'])).toBe('n.id, n.last_used_at');
  });

  it('are selected as entities, by property', () => {
    expect(selectEntityProperties(NoteEntity)).toBe(
      'id AS "id", last4 AS "last4", last_used_at AS "lastUsedAt", open_count AS "openCount"',
    );
  });
});
