import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Length, Matches, MaxLength } from 'class-validator';
import { MAX_ATTACHMENT_BYTES, MAX_ATTACHMENTS, MAX_SEALED_ATTACHMENT_LENGTH } from '@external-api/protocol';
import { Label, NestedList } from '../../../common/http';

/** base64 of {@link MAX_ATTACHMENT_BYTES}. */
const MAX_DATA_LENGTH = 4 * Math.ceil(MAX_ATTACHMENT_BYTES / 3);

/** A file that comes with a message (docs/protocol/relay.md#attachments). It has one of the last three members. */
export class AttachmentDto {
  /** Name of the file in `data`. The device uses the last part of a path. */
  @ApiPropertyOptional({ example: 'screenshot.png', nullable: true })
  @IsOptional()
  @Label(255)
  name?: string;

  /** What you take the file in `data` for. The device goes by the content. */
  @ApiPropertyOptional({ example: 'image/png', nullable: true })
  @IsOptional()
  @Label(255)
  mediaType?: string;

  /** The file in base64, with `name`. All files of a message together may have 716,800 bytes. */
  @ApiPropertyOptional({ example: 'iVBORw0KGgo=', nullable: true })
  @IsOptional()
  @Matches(/^[A-Za-z0-9+/]*={0,2}$/, { message: '$property must be base64' })
  @MaxLength(MAX_DATA_LENGTH)
  @IsString()
  data?: string;

  /** With `sealedContent` of the message: name and file, which you have encrypted with the data key of the session. */
  @ApiPropertyOptional({ example: 'eyJhbGciOiJkaXIi….….…', nullable: true })
  @IsOptional()
  @Length(1, MAX_SEALED_ATTACHMENT_LENGTH)
  @IsString()
  sealedContent?: string;

  /** An artifact that you can read, of a session on the same device, or one that the device has stored. */
  @ApiPropertyOptional({ example: 'art_01jb0000000000000000000000', nullable: true })
  @IsOptional()
  @Length(1, 64)
  @IsString()
  artifactId?: string;
}

/** Declares the files of a message, at most 8. */
export function AttachmentsField(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      description:
        'Files for the agent, which become artifacts of the session. Names are reduced to their last part, and ' +
        'types follow from the content. A device that can not pass a file on refuses the message.',
      type: [AttachmentDto],
      maxItems: MAX_ATTACHMENTS,
      nullable: true,
    }),
    IsOptional(),
    NestedList(AttachmentDto, MAX_ATTACHMENTS, { minItems: 0 }),
  );
}
