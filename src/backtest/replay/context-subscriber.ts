import { Subscriber } from 'rxjs'
import { reportError } from '../../base/task/safe-notify.js'
import { activeContext, enterContext, enterUnlessDisposed, type RxContext } from './rx-context.js'

/** Notifies the subscriber in another context, or in the real one once its clock is disposed of: for each row and parameter. `parent`: its unsubscription ends this one. */
export class ContextSubscriber<A> extends Subscriber<A> {
  constructor(
    private readonly subscriber: Subscriber<A>,
    private readonly context: RxContext,
    parent?: Subscriber<A>,
  ) {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- RxJS 7 exports no other class for operators
    super(parent)
  }

  override next(value: A): void {
    const before = activeContext()
    this.nextInContext(value)
    enterContext(before)
  }

  /** Like `next`, but leaves the context active. */
  nextInContext(value: A): void {
    if (this.closed) return
    enterUnlessDisposed(this.context)
    try {
      this.subscriber.next(value)
    } catch (thrown) {
      reportError(thrown)
    }
  }

  protected override _error(thrown: unknown): void {
    this.end(() => this.subscriber.error(thrown))
  }

  protected override _complete(): void {
    this.end(() => this.subscriber.complete())
  }

  private end(notify: () => void): void {
    const before = enterUnlessDisposed(this.context)
    try {
      notify()
    } catch (thrown) {
      reportError(thrown)
    } finally {
      enterContext(before)
      this.unsubscribe()
    }
  }
}
