interface Example {
  readonly title: string;
  readonly code: string;
  readonly prints?: string;
}
interface RunExample extends Example {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | string;
}
export function examplesIn(page: string): readonly Example[];
export function runExamples(folder: string): Promise<readonly RunExample[]>;
