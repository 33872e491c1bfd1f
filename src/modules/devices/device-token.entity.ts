import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('device_tokens')
export class DeviceTokenEntity {
  @PrimaryColumn('bytea')
  hash!: Buffer;

  @Column('text')
  deviceId!: string;

  @Column('timestamptz')
  createdAt!: Date;

  @Column('timestamptz')
  expiresAt!: Date;
}
