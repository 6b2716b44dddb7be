"""Why a model gave no usable answer, in our own words."""

from __future__ import annotations

from pydantic_ai.exceptions import ContentFilterError, ModelAPIError, ModelHTTPError
from pydantic_ai.messages import ModelResponse

from eunoe.models.answers import quoted
from eunoe.schemas.errors import ModelFailed


def failed(error: Exception) -> ModelFailed:
    """The failure of a request, after the attempts that it was worth.

    Of an answer in a shape that its API does not have, the libraries raise whatever they stumble over.
    """
    if isinstance(error, ModelHTTPError):
        return _refused_by_server(error)
    if isinstance(error, ContentFilterError):
        return ModelFailed("the provider held the answer back", reason="refused")
    if isinstance(error, ModelAPIError):
        return ModelFailed(
            f"the model's API cannot be reached, or breaks off: {quoted(str(error))}", reason="unreachable"
        )
    said = quoted(f"{type(error).__name__}: {error}")
    return ModelFailed(f"the model's API gave an answer that cannot be read: {said}", reason="unreadable")


def check(response: ModelResponse, text: str, *, partial: bool = False) -> None:
    """Raise `ModelFailed` for an answer that was refused, and for one without text; for one that was cut off unless
    what there is of it will do."""
    if response.finish_reason == "content_filter":
        said = str((response.provider_details or {}).get("refusal") or text)
        raise ModelFailed(f"the model refused to answer: {quoted(said)}", reason="refused")
    if cut_off(response) and not (partial and text):
        raise ModelFailed(
            f"the model's answer was cut off after {response.usage.output_tokens:,} tokens", reason="cut_off"
        )
    if not text:
        raise ModelFailed("the model answered with nothing", reason="empty")


def cut_off(response: ModelResponse) -> bool:
    return response.finish_reason == "length"


def _refused_by_server(error: ModelHTTPError) -> ModelFailed:
    status, said = error.status_code, quoted(_message(error.body))
    if status == 429:
        return ModelFailed(f"the model's API is asked too much (429): {said}", reason="rate_limited")
    if status >= 500:
        return ModelFailed(f"the model's API fails ({status}): {said}", reason="server")
    return ModelFailed(f"the model's API does not take the request ({status}): {said}", reason="rejected")


def _message(body: object) -> str:
    """What a server says went wrong, where it says that as most do."""
    while isinstance(body, dict):
        body = body.get("message") or body.get("error") or ""
    return str(body or "no reason given")
