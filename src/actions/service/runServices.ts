// The services of one run. The session makes this object and ends what is in it, whatever happened before.
import type { UnexpectedLog } from '../../evidence/issues.js';
import { Service, type ServiceRequest } from './service.js';

export class RunServices {
  /** By name: those that run, and those that ended by themselves. */
  private readonly services = new Map<string, Service>();
  /** Services that ended, whose log the package does not have yet. */
  private readonly replaced: Service[] = [];
  private isOver = false;

  /** Takes the place of a service of that name that has ended. */
  start(request: ServiceRequest): Service {
    const earlier = this.services.get(request.name);
    if (earlier) this.replaced.push(earlier);
    const service = new Service(request);
    this.services.set(service.name, service);
    if (this.isOver) void service.stop({ hurries: true });
    return service;
  }

  find(name: string): Service | undefined {
    return this.services.get(name);
  }

  /** The caller keeps its log. */
  remove(service: Service): void {
    if (this.services.get(service.name) === service) this.services.delete(service.name);
  }

  get names(): string[] {
    return [...this.services.keys()];
  }

  /** The ports of those that run. */
  get ports(): ReadonlySet<number> {
    return new Set([...this.services.values()].flatMap(({ port, result }) => (port === undefined || result ? [] : [port])));
  }

  /** What happened to services while nodes ran, each once. */
  takeIssues(): UnexpectedLog[] {
    return [...this.replaced, ...this.services.values()].flatMap((service) => service.takeIssue() ?? []);
  }

  /** Ends all of them, and gives those whose logs nobody has kept. */
  async stopAll({ hurries }: { hurries: boolean }): Promise<Service[]> {
    this.isOver = true;
    const all = [...this.replaced, ...this.services.values()];
    await Promise.all(all.map((service) => service.stop({ hurries })));
    return all;
  }
}
