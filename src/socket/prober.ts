/** Probes a service over a socket without pings, by frames that it answers. */
export interface Prober {
  /** Sends a frame that the service answers. Returns false if there is none. */
  readonly probe: () => boolean
  /** True if the answer to the next probe will be recognised. */
  readonly isRecognisable: () => boolean
  /** True if silence after a probe shows that the connection is lost: not every service answers a probe. */
  readonly isConclusive: () => boolean
}
