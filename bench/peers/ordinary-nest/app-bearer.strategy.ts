import { Injectable, UnauthorizedException } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { InjectRepository } from '@nestjs/typeorm';
import { Strategy } from 'passport-http-bearer';
import { Repository } from 'typeorm';
import { hashSecretToken } from '../../../src/common/secret-token';
import { AppTokenEntity } from './entities';

@Injectable()
export class AppBearerStrategy extends PassportStrategy(Strategy) {
  constructor(@InjectRepository(AppTokenEntity) private readonly tokens: Repository<AppTokenEntity>) {
    super();
  }

  async validate(secret: string): Promise<AppTokenEntity> {
    const token = await this.tokens.findOne({ where: { hash: hashSecretToken(secret) }, relations: { account: true } });
    if (!token || (token.expiresAt && token.expiresAt <= new Date())) throw new UnauthorizedException();
    return token;
  }
}
