import { Injectable } from '@nestjs/common';
import {
  buildAttachmentBinding,
  findContentFormatViolation,
  MAX_ATTACHMENT_BYTES,
  MAX_SEALED_ATTACHMENT_LENGTH,
  type AttachedParams,
  type AttachmentParams,
} from '@external-api/protocol';
import type { Principal } from '../../../access/auth';
import { ApiError, bodyViolation, invalidRequestError, type RequestViolation } from '../../../common/errors';
import { ArtifactsService } from '../../artifacts';
import { MachinesService } from '../../machines';
import { SessionsService } from '../../sessions';
import type { AttachmentDto } from './attachment.dto';

type AddViolation = (path: string, code: string, rule: string) => void;

/** Where a message with attachments goes, if a start has one, and the caller's id of a sealed one. */
type AttachmentTarget =
  | { machineId: string; hasMessage: boolean }
  | { sessionId: string; sealedLocalId: string | null };

/** Checks the files that come with messages (docs/protocol/relay.md#attachments). */
@Injectable()
export class AttachmentsService {
  constructor(
    private readonly artifacts: ArtifactsService,
    private readonly machines: MachinesService,
    private readonly sessions: SessionsService,
  ) {}

  /**
   * Returns the attachments for the device, and no member without any.
   * @throws ApiError 400 for attachments that are malformed or too large
   */
  readAttachments(attachments: readonly AttachmentDto[] | null | undefined, target: AttachmentTarget): AttachedParams {
    if (!attachments?.length) return {};
    const violations: RequestViolation[] = [];
    const addViolation: AddViolation = (path, code, rule) => violations.push(bodyViolation(path, code, rule));
    const isSealed = 'sessionId' in target && target.sealedLocalId !== null;
    const read = attachments.map((attachment, index) =>
      readAttachment(attachment, isSealed, (member, code, rule) =>
        addViolation(`/attachments/${index}${member}`, code, rule),
      ),
    );
    checkSize(read, addViolation);
    if ('machineId' in target && !target.hasMessage)
      addViolation('/attachments', 'not_allowed', 'must not be given without content');
    if (violations.length > 0) throw invalidRequestError(violations);
    return { attachments: read };
  }

  /**
   * Checks what the caller attaches against stored records.
   * @throws ApiError 400 for attachments that the caller can't read or that are sealed for another place, and for a
   *   connected device that can't read attachments; 404
   */
  async checkAttachments(
    caller: Principal,
    { attachments: read }: AttachedParams,
    target: AttachmentTarget,
  ): Promise<void> {
    if (!read) return;
    const violations: RequestViolation[] = [];
    const addViolation: AddViolation = (path, code, rule) => violations.push(bodyViolation(path, code, rule));
    await this.checkArtifacts(caller, read, addViolation);
    if ('sessionId' in target) await this.checkSealedPlaces(caller.accountId, read, target, addViolation);
    if (!(await this.isSupported(caller.accountId, target)))
      addViolation('/attachments', 'not_allowed', 'are not supported by the device of this machine. Update the device');
    if (violations.length > 0) throw invalidRequestError(violations);
  }

  /** Says the same of an artifact that doesn't exist and of one that the caller may not read. */
  private async checkArtifacts(caller: Principal, read: AttachmentParams[], addViolation: AddViolation): Promise<void> {
    for (const [index, attachment] of read.entries())
      if ('artifactId' in attachment && !(await this.canReadArtifact(caller, attachment.artifactId)))
        addViolation(`/attachments/${index}/artifactId`, 'not_allowed', 'must be an artifact that you can read');
  }

  private async canReadArtifact(caller: Principal, artifactId: string): Promise<boolean> {
    try {
      const { contentGranted } = await this.artifacts.getArtifact(caller, artifactId);
      return contentGranted || caller.kind === 'device';
    } catch (error) {
      if (error instanceof ApiError && error.code === 'not_found') return false;
      throw error;
    }
  }

  private async checkSealedPlaces(
    accountId: string,
    read: AttachmentParams[],
    { sessionId, sealedLocalId }: Extract<AttachmentTarget, { sessionId: string }>,
    addViolation: AddViolation,
  ): Promise<void> {
    if (sealedLocalId === null) return;
    const { tag, keyId } = await this.sessions.getContentKey(accountId, sessionId);
    for (const [index, attachment] of read.entries()) {
      if (!('sealedContent' in attachment)) continue;
      const place = buildAttachmentBinding(accountId, tag, sealedLocalId, index + 1);
      const violation = findContentFormatViolation(attachment.sealedContent, keyId, place);
      if (violation) addViolation(`/attachments/${index}/sealedContent`, 'invalid_jwe', violation);
    }
  }

  /**
   * Whether the machine's device, if it is connected and gets the message, can read attachments. An older one would
   * ignore them. The relay looks for a device with the capability in any case.
   */
  private async isSupported(accountId: string, target: AttachmentTarget): Promise<boolean> {
    const machineId =
      'machineId' in target ? target.machineId : await this.findHostMachine(accountId, target.sessionId);
    if (machineId === null) return true;
    const { state, capabilities } = await this.machines.getMachine(accountId, machineId);
    return state !== 'online' || capabilities.includes('session.attachments');
  }

  /** Returns the machine whose device gets the session's messages first; null for another device. */
  private async findHostMachine(accountId: string, sessionId: string): Promise<string | null> {
    const { machineId, hostDeviceId } = await this.sessions.getSessionRoute(accountId, sessionId);
    if (machineId === null || hostDeviceId === null) return machineId;
    return hostDeviceId === (await this.machines.getDeviceId(accountId, machineId)) ? machineId : null;
  }
}

/** Returns the attachment for the device, which is of no use if it adds a violation. */
function readAttachment(
  { name, mediaType, data, sealedContent, artifactId }: AttachmentDto,
  isSealed: boolean,
  addViolation: AddViolation,
): AttachmentParams {
  const given = [data, sealedContent, artifactId].filter((member) => member !== undefined);
  if (given.length !== 1) {
    addViolation('', 'not_allowed', 'must have exactly one of data, sealedContent and artifactId');
    return { artifactId: '' };
  }
  if (data !== undefined) {
    if (name === undefined) addViolation('/name', 'required', 'is required with data');
    if (data.length % 4 !== 0) addViolation('/data', 'invalid_format', 'must be base64 with padding');
    if (isSealed) addViolation('/data', 'not_allowed', 'must be sealed like its message, as sealedContent');
    return { name: name ?? '', mediaType: mediaType ?? null, data };
  }
  if (name !== undefined) addViolation('/name', 'not_allowed', 'must not be given without data');
  if (mediaType !== undefined) addViolation('/mediaType', 'not_allowed', 'must not be given without data');
  if (sealedContent === undefined) return { artifactId: artifactId ?? '' };
  if (!isSealed)
    addViolation('/sealedContent', 'not_allowed', 'must not be given without sealedContent of the message');
  return { sealedContent };
}

function checkSize(read: AttachmentParams[], addViolation: AddViolation): void {
  const bytes = sum(read, (attachment) => ('data' in attachment ? countBytes(attachment.data) : 0));
  if (bytes > MAX_ATTACHMENT_BYTES)
    addViolation('/attachments', 'out_of_range', `must have at most ${MAX_ATTACHMENT_BYTES} bytes together`);
  const length = sum(read, (attachment) => ('sealedContent' in attachment ? attachment.sealedContent.length : 0));
  if (length > MAX_SEALED_ATTACHMENT_LENGTH)
    addViolation(
      '/attachments',
      'out_of_range',
      `must have at most ${MAX_SEALED_ATTACHMENT_LENGTH} characters together`,
    );
}

const sum = (read: AttachmentParams[], count: (attachment: AttachmentParams) => number): number =>
  read.reduce((total, attachment) => total + count(attachment), 0);

/** Returns the number of bytes that base64 with padding stands for. */
const countBytes = (base64: string): number =>
  (base64.length / 4) * 3 - (base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0);
