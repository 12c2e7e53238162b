import type { Msg } from '@nats-io/transport-node'

/** True for the empty reply with which a NATS server answers a message that no client receives. */
export const isUndelivered = ({ data }: Msg): boolean => data.length === 0
