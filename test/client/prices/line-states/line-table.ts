/**
 * The states of one of two lines. `catching up`: it has come to the front, and has not answered a ping since. `down`: it is dialled
 * again. In `front` the other line stands by; in `standby` and `down` it is in front; in `catching up` it is lost.
 */
export type LineState = 'front' | 'standby' | 'catching up' | 'down'

/**
 * What happens to the line. `held`: a late price. `behind`: no ping is answered for longer than `maxLag`. `silent`: no price for
 * longer than `maxLag`, while the other line has them. `suspended`: the machine is, for longer than `maxLag`; a price from before is
 * read afterwards. `rotated`: its gateway announces its close, and its successor can connect.
 */
export type LineEvent =
  | 'opened'
  | 'confirmed'
  | 'price'
  | 'held'
  | 'behind'
  | 'silent'
  | 'probe answered'
  | 'rejected'
  | 'unreadable'
  | 'closed'
  | 'suspended'
  | 'rotated'

/** Which line is in front after the event, and what a subscriber receives by it. */
export type Cell = readonly [front: 'it' | 'other' | 'successor', emits: string]

/** A missing cell does not compile. In a turn without prices, nothing is emitted. */
export const lineTable: Readonly<Record<LineState, Readonly<Record<LineEvent, Cell | 'impossible'>>>> = {
  front: {
    opened: 'impossible',
    confirmed: ['it', ''],
    price: ['it', 'its price'],
    held: ['other', ''],
    behind: ['other', 'prices'],
    silent: ['other', 'prices'],
    'probe answered': ['it', 'prices'],
    rejected: ['it', ''],
    unreadable: ['it', 'DecodeError'],
    closed: ['other', ''],
    suspended: ['it', 'its price, prices'],
    rotated: ['successor', 'prices'],
  },
  standby: {
    opened: 'impossible',
    confirmed: ['other', ''],
    price: ['other', ''],
    held: ['other', ''],
    behind: ['other', 'prices'],
    silent: ['other', 'prices'],
    'probe answered': ['other', 'prices'],
    rejected: ['other', ''],
    unreadable: ['other', ''],
    closed: ['other', ''],
    suspended: ['it', 'its price, prices'],
    rotated: ['other', 'prices'],
  },
  'catching up': {
    opened: 'impossible',
    confirmed: ['it', ''],
    price: ['it', ''],
    held: ['it', 'Stale'],
    behind: ['it', 'Stale'],
    silent: ['it', 'Stale, Disconnected'],
    'probe answered': ['it', 'prices'],
    rejected: ['it', ''],
    unreadable: ['it', 'DecodeError'],
    closed: ['it', 'Disconnected'],
    suspended: ['it', 'Stale, Disconnected'],
    rotated: ['successor', 'prices'],
  },
  down: {
    opened: ['other', ''],
    confirmed: 'impossible',
    price: 'impossible',
    held: 'impossible',
    behind: 'impossible',
    silent: 'impossible',
    'probe answered': 'impossible',
    rejected: 'impossible',
    unreadable: 'impossible',
    closed: ['other', ''],
    suspended: ['other', 'prices'],
    rotated: 'impossible',
  },
}
