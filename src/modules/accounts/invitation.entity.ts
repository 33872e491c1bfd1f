import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('invitations')
export class InvitationEntity {
  @PrimaryColumn('bytea')
  codeHash!: Buffer;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  expiresAt!: Date;

  @Column('timestamptz', { nullable: true })
  usedAt!: Date | null;

  @Column('text', { nullable: true })
  accountId!: string | null;
}
