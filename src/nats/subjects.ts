import type { Address } from '../base/domain/topic.js'

/** The version of the messages. A consumer ignores gateways of another version. */
export const protocolVersion = 1

export type Subjects = ReturnType<typeof subjectsOf>

/** The prefix of an inbox is an option, and the name of a user is part of its default. */
const maxInboxLength = 512

/** The subjects of one service. A gateway has an identifier, which is new for each connection to NATS. */
export const subjectsOf = (service: string) => ({
  /** Discovery requests of consumers. Every gateway answers. */
  gateways: `${service}.gateways`,
  /** Messages of consumers to one gateway. */
  gateway: (id: string): string => `${service}.gateway.${id}`,
  /** Price updates of one topic by one gateway. */
  price: (id: string, base: Address): string => `${service}.price.${id}.${base}`,
  /** When the service had answered the newest probe of one gateway: a subject of the same wildcard as its prices. */
  proof: (id: string): string => `${service}.price.${id}.proof`,
  /**
   * False for the subjects of the service and of NATS itself: a reply to such a subject could forge a price. Also false
   * for subjects longer than any inbox, because a gateway keeps the subject as long as the session.
   */
  isInbox: (subject: string): boolean =>
    subject.length <= maxInboxLength && !subject.startsWith(`${service}.`) && !subject.startsWith('$'),
})
