import { Component, type ReactNode } from 'react';

interface Props {
  readonly children: ReactNode;
  /** Where it stands; the whole window by default. */
  readonly what?: string;
}

/** What is left when drawing fails: words and a way on. The runs live in the main process and go on without it. */
export class ErrorBoundary extends Component<Props, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override render() {
    if (!this.state.failed) return this.props.children;
    return (
      <div className="failed" role="alert">
        <h1>{this.props.what ?? 'This window'} could not be drawn</h1>
        <p>
          Your runs are not affected: they go on in the background, requests keep waiting for you, and everything is in
          the journal. Nothing was decided in your name.
        </p>
        <div className="failed-act">
          <button type="button" className="btn" onClick={() => this.setState({ failed: false })}>
            Try again
          </button>
          <button type="button" className="btn primary" onClick={() => window.location.reload()}>
            Reload the window
          </button>
        </div>
      </div>
    );
  }
}
