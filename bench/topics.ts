import { createHash } from 'node:crypto'

/** Topics with addresses of 40 digits, like those of tokens. */
export const topicsOf = (count: number): readonly string[] =>
  Array.from(
    { length: count },
    (_, index) => `svc-0x${createHash('sha1').update(String(index)).digest('hex')}`,
  )
