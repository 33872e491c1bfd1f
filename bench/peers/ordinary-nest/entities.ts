import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';

@Entity('app_accounts')
export class AppAccountEntity {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'text', unique: true })
  username!: string;

  @Column({ type: 'timestamptz', name: 'created_at', default: () => 'now()' })
  createdAt!: Date;
}

/** Access token of an account, stored as its SHA-256. */
@Entity('app_tokens')
export class AppTokenEntity {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'bytea', unique: true })
  hash!: Buffer;

  @Column({ type: 'text' })
  name!: string;

  @Column({ type: 'text', array: true })
  scopes!: string[];

  @Column({ type: 'timestamptz', name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'expires_at', nullable: true })
  expiresAt!: Date | null;

  @ManyToOne(() => AppAccountEntity, { nullable: false })
  @JoinColumn({ name: 'account_id' })
  account!: AppAccountEntity;
}

/** Machine of an account, whose device signs in with a token that is stored as its SHA-256. */
@Entity('app_machines')
export class AppMachineEntity {
  @PrimaryColumn({ type: 'text' })
  id!: string;

  @Column({ type: 'bytea', name: 'token_hash', unique: true })
  tokenHash!: Buffer;

  @ManyToOne(() => AppAccountEntity, { nullable: false })
  @JoinColumn({ name: 'account_id' })
  account!: AppAccountEntity;
}
