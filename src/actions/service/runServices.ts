// The services of one run. The session creates this object, and always ends the services when the run ends.
import type { UnexpectedLog } from '../../evidence/issues.js';
import { Service, type ServiceRequest } from './service.js';

export class RunServices {
  /** By name: the running services, and the services that ended by themselves. */
  private readonly services = new Map<string, Service>();
  /** Services that ended before another service took their name. The package does not have their logs yet. */
  private readonly replacedServices: Service[] = [];
  private isOver = false;

  /** Starts a service. It replaces a service of the same name that has ended. */
  start(request: ServiceRequest): Service {
    const earlier = this.services.get(request.name);
    if (earlier) this.replacedServices.push(earlier);
    const service = new Service(request);
    this.services.set(service.name, service);
    if (this.isOver) void service.stop({ isUrgent: true });
    return service;
  }

  find(name: string): Service | undefined {
    return this.services.get(name);
  }

  /** Call this only after you have stored the log of the service. */
  remove(service: Service): void {
    if (this.services.get(service.name) === service) this.services.delete(service.name);
  }

  get names(): string[] {
    return [...this.services.keys()];
  }

  /** The ports of the running services. */
  get ports(): ReadonlySet<number> {
    return new Set([...this.services.values()].flatMap(({ port, result }) => (port === undefined || result ? [] : [port])));
  }

  /** Returns the issues of services since the last call. */
  takeIssues(): UnexpectedLog[] {
    return [...this.replacedServices, ...this.services.values()].flatMap((service) => service.takeIssue() ?? []);
  }

  /** Stops all services. Returns the services whose logs are not stored yet. */
  async stopAll({ isUrgent }: { isUrgent: boolean }): Promise<Service[]> {
    this.isOver = true;
    const all = [...this.replacedServices, ...this.services.values()];
    await Promise.all(all.map((service) => service.stop({ isUrgent })));
    return all;
  }
}
