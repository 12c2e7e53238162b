import { truncate } from '../../errors/text.js'

/** The maximum length of the reason in a close frame, in bytes of UTF-8 (RFC 6455, section 5.5). */
const maxReasonBytes = 123

/** The start of a text that fits into a close frame. */
export const closeReason = (text: string): string => {
  let reason = truncate(text, maxReasonBytes)
  while (Buffer.byteLength(reason) > maxReasonBytes) reason = truncate(reason, reason.length - 1)
  return reason
}
